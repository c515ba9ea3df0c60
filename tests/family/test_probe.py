import torch
from dragoman.config.model import TransformerSettings
from dragoman.neural.models.transformer import Transformer
def test_x():
    m=Transformer(TransformerSettings(width=16,heads=4,inner_width=32),20,20).eval()
    s=m.begin(torch.randint(4,20,(3,7)))
    for _ in range(3): l,s=m.step(torch.tensor([2,2,2]),s)
    s=m.reorder(s,torch.tensor([0,0,2,2]))
    l,s=m.step(torch.tensor([2,2,2,3]),s)
    s=m.reorder(s,torch.tensor([1,3,3]))
    l,s=m.step(torch.tensor([2,2,2]),s)
    s=m.reorder(s,torch.tensor([],dtype=torch.long))
    l,s=m.step(torch.tensor([],dtype=torch.long),s)
